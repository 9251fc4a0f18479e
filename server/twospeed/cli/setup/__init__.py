"""Commands that set twospeed up, and show and change what it keeps."""
