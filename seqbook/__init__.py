"""seqbook: recurrent networks and sequence models, small enough to read."""
