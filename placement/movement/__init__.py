"""From one placement to another: the steps and their order."""
