"""One script per figure; build.py renders them all."""
