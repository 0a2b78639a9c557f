import asyncio
from urllib.parse import parse_qs


async def app(scope, receive, send):
    """Answers at once; /slow takes `ms` milliseconds, a body is read to its end."""
    if scope["type"] == "lifespan":
        while True:
            event = (await receive())["type"]
            await send({"type": event + ".complete"})
            if event == "lifespan.shutdown":
                return
    while (await receive()).get("more_body"):
        pass
    if scope["path"] == "/slow":
        query = parse_qs(scope["query_string"].decode())
        await asyncio.sleep(int(query.get("ms", ["1000"])[0]) / 1000)
    body = b"served\n"
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
