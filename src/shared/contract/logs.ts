import { z } from "zod"
import { json } from "./endpoint.ts"
import { queryInteger, Timestamp } from "./primitives.ts"

export const LogLevel = z.enum(["debug", "info", "warn", "error"]).describe("Severity of the line.")
export type LogLevel = z.infer<typeof LogLevel>

/** One line of the box's log, without keys, tokens, cookies, passwords or the name of the home directory. */
export const LogLine = z
  .object({
    time: Timestamp.describe("When the line was written."),
    level: LogLevel,
    message: z.string().describe("Text of the line."),
    details: z
      .string()
      .nullable()
      .describe("Other fields of the line as JSON, cut after 8,000 characters; null if there are none."),
  })
  .meta({
    id: "LogLine",
    description:
      "A line of the server's log, without keys, tokens, passwords or the name of the home directory.",
  })
export type LogLine = z.infer<typeof LogLine>

export const logs = {
  read: json({
    method: "get",
    path: "/api/public/logs",
    summary: "Read the log",
    description: "Returns the last lines of the server's log, oldest first. Owners only.",
    access: "owner",
    query: z.object({
      limit: queryInteger(1, 1000, 200).describe("Lines to return, 1 to 1,000."),
      level: LogLevel.default("info").describe("Lowest level to return."),
    }),
    output: z.object({ lines: z.array(LogLine).describe("Lines, oldest first.") }),
  }),
} as const
