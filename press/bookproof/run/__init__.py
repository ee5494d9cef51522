"""Running: pages, experiments, figures and studies, and what they gave."""
