"""The engine room: where runs are kept, how they survive a crash, and how their progress is shown."""
