"""Worker processes with limits (`process`), for regular expressions (`patterns`), queries and code (`trusted`)."""
