"""Between the web server and Django: the event loop reads bodies and sends answers, request threads never wait."""
