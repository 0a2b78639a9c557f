import time
from urllib.parse import parse_qs


def app(environ, start_response):
    """Answers at once; /slow takes `ms` milliseconds, a body is read to its end."""
    environ["wsgi.input"].read()
    if environ["PATH_INFO"] == "/slow":
        time.sleep(int(parse_qs(environ["QUERY_STRING"]).get("ms", ["1000"])[0]) / 1000)
    body = b"served\n"
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
