"""What tabs say: console, network requests, response bodies, HAR."""
