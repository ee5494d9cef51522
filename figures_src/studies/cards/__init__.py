"""What the study task_cards trains: its tasks and its models."""
