import { z } from "zod"

/** Descriptions of path parameters by the segment before them. */
const descriptions: Readonly<Record<string, string>> = {
  approvals: "Identifier of the tool call.",
  assistants: "Identifier of the assistant.",
  automations: "Identifier of the automation.",
  chat: "Identifier of the chat, as in its first request.",
  chats: "Identifier of the chat, as in its first request.",
  copies: "Identifier of the copy.",
  downloads: "Identifier of the download.",
  files: "Identifier of the file.",
  filings: "Identifier of the change.",
  hooks: "Secret token of the webhook.",
  import: "Identifier of the import.",
  integrations: "Tool key of the integration, such as `int_github`.",
  keys: "Identifier of the API key.",
  memory: "Identifier of the fact.",
  messages: "Identifier of the answer.",
  models: "Identifier of the model.",
  notifications: "Identifier of the notification.",
  pages: "Number of the page, from 1.",
  passages: "Identifier of the passage.",
  people: "Identifier of the person.",
  projects: "Identifier of the project.",
  questions: "Identifier of the question.",
  queue: "Identifier of the queued question.",
  runs: "Identifier of the run.",
  servers: "Identifier of the model server.",
  tickets: "Identifier of the report, or of the ticket on the auth service.",
  trash: "Identifier of the entry in the trash.",
  vectors: "Identifier of the folder.",
  workspaces: "Identifier of the workspace.",
}

/** Describes the parameters of a path; undefined if it has none. */
export function describeParameters(path: string): z.ZodObject | undefined {
  const found = [...path.matchAll(/([^/]+)\/:(\w+)/g)].map(([, segment = "", name = ""]) => {
    const description = descriptions[segment]
    if (description === undefined) throw new Error(`The parameter ${name} of ${path} has no description.`)
    return [name, z.string().meta({ description })] as const
  })
  return found.length === 0 ? undefined : z.object(Object.fromEntries(found))
}

const range = z.object({
  range: z
    .string()
    .optional()
    .meta({ description: "Bytes to return, such as `bytes=0-1023`. The response is then `206`." }),
})

/** Headers of requests by operation id, besides those of every request. */
export const requestHeaders: Readonly<Record<string, z.ZodObject>> = {
  "notifications.send": z.object({
    "x-organization-id": z
      .string()
      .optional()
      .meta({ description: "Workspace that both people belong to. Required to notify someone else." }),
  }),
  "chat.attach": z.object({
    "last-event-id": z
      .string()
      .optional()
      .meta({ description: "Number of the last event that was received. The stream continues after it." }),
  }),
  "files.content": range,
  "storage.downloadBackup": range,
}
