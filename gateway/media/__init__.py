"""What people send beside text, on its way into a chat's workspace and to the model."""
