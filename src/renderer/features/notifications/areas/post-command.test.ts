import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { postCommand } from "./post-command.ts"

// Would catch a title or a channel that ends the quotes: what follows would run as commands.
test("a shell reads back exactly what was meant", { tags: "unix" }, () => {
  const notification = {
    title: `It's "5 o'clock" $(touch x) \`id\` \\ è`,
    category: "messaging",
    deepLink: "/messaggi?channel='; id; '",
  }
  const command = postCommand("http://127.0.0.1:8484", notification)
  const words = execFileSync("sh", ["-c", command.replace(/^curl/, String.raw`printf '%s\n'`)], {
    env: { KEY: "box_1" },
    encoding: "utf8",
  }).split("\n")
  expect(words[2]).toBe("x-api-key: box_1")
  expect(JSON.parse(words[6] ?? "")).toEqual(notification)
})
