// The health check of the container: requests /healthz. In JavaScript, because the image has no curl.
const port = /:(\d+)$/.exec(process.env.HELMDECK_ADDR ?? '')?.[1] ?? '3000';
try {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = answer.ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
