"""The tasks, one file each; the file name is the task name. Modules starting with an underscore are shared helpers."""
