"""What pytest leaves alone here."""

collect_ignore = ["make_files.py"]  # a script, and it needs the libraries whose files are read
