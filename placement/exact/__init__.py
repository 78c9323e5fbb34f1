"""The whole model, solved exactly."""
