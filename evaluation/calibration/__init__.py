"""What a store and its machine can do, measured."""
