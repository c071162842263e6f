"""The subcommands of ``levcert``, one file each."""
