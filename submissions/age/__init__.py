"""What time has done to a result: four marks, each computed for a given day."""
