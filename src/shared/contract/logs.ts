import { z } from "zod"
import { json } from "./endpoint.ts"
import { queryInteger, Timestamp } from "./primitives.ts"

export const LogLevel = z.enum(["debug", "info", "warn", "error"])
export type LogLevel = z.infer<typeof LogLevel>

/** One line of the box's log, without keys, tokens, cookies, passwords or the name of the home directory. */
export const LogLine = z
  .object({
    time: Timestamp,
    level: LogLevel,
    message: z.string(),
    details: z
      .string()
      .nullable()
      .meta({ description: "The line's other fields as JSON, cut at 8,000 characters" }),
  })
  .meta({ id: "LogLine" })
export type LogLine = z.infer<typeof LogLine>

export const logs = {
  read: json({
    method: "get",
    path: "/api/public/logs",
    summary: "The last lines of the box's log, oldest first; owners only",
    access: "owner",
    query: z.object({
      limit: queryInteger(1, 1000, 200),
      level: LogLevel.default("info").meta({ description: "This level and those above it" }),
    }),
    output: z.object({ lines: z.array(LogLine) }),
  }),
} as const
