"""The main job: from what was read, by a sensible walk for its kind, to findings a person can trust."""
