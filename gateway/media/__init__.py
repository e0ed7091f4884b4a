"""What people send beside text, on its way into a chat's workspace and to the model.

intake        takes in what comes with a message; `wording` is what a model is told of it
fetching      a file's bytes, from the platform into the workspace
texts         which files are text, and what stands in them; pure
pictures      a picture, made small enough; `showing` brings it into the call to the model
transcribing  speech to text
"""
