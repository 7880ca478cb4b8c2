// The HTTP status of a GET request without credentials, 0 without an answer. Its body is not read.
async (url) => {
  const ended = new AbortController();
  try {
    const answer = await fetch(url, { credentials: 'omit', cache: 'no-store', signal: ended.signal });
    return answer.status;
  } catch {
    return 0;
  } finally {
    ended.abort();
  }
}
