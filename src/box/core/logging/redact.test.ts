import { expect, it } from "vitest"
import { redact } from "./redact.ts"

const home = "/home/anna"
const secret = "Zx9-kQ_7vB2mN4pL8sT1wY6rE3uI5oA0dF"

// Catches a log line that reveals a key to anyone who receives a support ticket.
it.each([
  `created key box_${secret}xyz123456`,
  `created key boxe_${secret}xyz123456`,
  `GET / {"x-api-key":"${secret}"}`,
  `{"headers":{"cookie":"casella_session_8484=${secret}; a=b"}}`,
  `set-cookie: casella_session_8484=${secret}; Path=/; HttpOnly`,
  `authorization: Bearer ${secret}`,
  `Authorization: Basic ${secret}`,
  `http://127.0.0.1:8484/#/signin?token=${secret}`,
  `https://example.com/callback?code=${secret}&state=${secret}`,
  `fetch https://anna:${secret}@models.example/v1 failed`,
  `{"err":{"message":"{\\"password\\":\\"${secret}\\"}"}}`,
  `{"client_secret": "${secret}", "name": "x"}`,
  `refresh_token=${secret}&grant_type=x`,
  `OpenAI said no to sk-proj-${secret}`,
  `ghp_${secret.replace(/[-_]/g, "a")} and hf_${secret.replace(/[-_]/g, "b")}`,
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${secret}`,
  `-----BEGIN RSA PRIVATE KEY-----\n${secret.replaceAll("-", "")}\n-----END RSA PRIVATE KEY-----`,
])("removes the secret from %s", (line) => {
  const clean = redact(line, home)
  for (const part of secret.split(/[-_]/)) expect(clean).not.toContain(part)
  expect(clean).toContain("[redacted]")
})

it("keeps details that explain a fault", () => {
  const line =
    '{"level":"error","time":"2026-01-01T00:00:00.000Z","err":{"code":"ENOENT","message":"no such file, open \'/srv/box/a.md\'"},"tokens":12,"promptTokens":42,"model":"gemma"}'
  expect(redact(line, home)).toBe(line)
})

it.each([
  ["/home/anna", "/home/anna/Documents/a.md", "~/Documents/a.md"],
  ["/home/anna", "file:///home/anna/a.md", "file://~/a.md"],
  ["/home/anna", "/home/annabel/a.md", "/home/annabel/a.md"],
  ["C:\\Users\\Anna", '{"path":"c:\\\\users\\\\anna\\\\a.md"}', '{"path":"~\\\\a.md"}'],
  ["/", "/srv/a.md", "/srv/a.md"],
])("replaces the home directory %s with its symbol", (directory, line, expected) => {
  expect(redact(line, directory)).toBe(expected)
})

// Catches a pattern that takes quadratic time for a hostile line's length.
it("reads long lines only once", () => {
  for (const piece of [
    "a",
    "token=",
    '"password":"',
    "://a:",
    "eyJaaaaaaaa.",
    "-eyJ",
    "sk-a-",
    "-----BEGIN A",
  ]) {
    expect(redact(piece.repeat(200_000 / piece.length), home).length).toBeGreaterThan(0)
  }
})
