from benchsite_cli.app import main

main()
