import { z } from "zod"
import { Undo } from "./deletions.ts"
import { json } from "./endpoint.ts"
import { atMost, Id, pageQuery, Pagination, Timestamp } from "./primitives.ts"
import { wrong } from "./wrong.ts"

/** A group of chats that share the project's instructions and folders. */
export const Project = z
  .object({
    id: Id.describe("Identifier of the project."),
    name: z.string().describe("Display name, up to 120 characters."),
    instructions: z.string().describe("Instructions that every chat of the project gets."),
    vectorIds: z
      .array(Id)
      .describe(
        "Folders that every chat of the project searches. Folders that the caller can't read are left out.",
      ),
    assistantId: Id.nullable().describe(
      "Assistant that answers unless the question names another one; null for none. It may have been deleted.",
    ),
    createdAt: Timestamp.describe("When the project was created."),
    writtenByScopedKey: z
      .literal(true)
      .optional()
      .describe(
        "true if a key with scopes changed the project. `bypass` then works like `auto` in its chats until `instructions` and `assistantId` are sent with full rights.",
      ),
  })
  .meta({ id: "Project", description: "A group of chats that share instructions and folders." })
export type Project = z.infer<typeof Project>

const fields = {
  name: atMost(120, z.string().trim().min(1)).describe("Display name, up to 120 characters."),
  instructions: atMost(100_000)
    .nullable()
    .describe("Instructions for every chat of the project, up to 100,000 characters."),
  vectorIds: z
    .array(Id)
    .max(50)
    .nullable()
    .describe("Folders that every chat of the project searches, at most 50."),
  assistantId: Id.nullable().describe(
    "Assistant that answers unless the question names another one; null for none.",
  ),
}
const Fields = z.object(fields).partial()

/** `null` clears a field; omitted fields stay unchanged. */
const ProjectPatch = Fields.refine((patch) => Object.values(patch).some((value) => value !== undefined), {
  path: ["name"],
  ...wrong("missing"),
})
export type ProjectPatch = z.infer<typeof ProjectPatch>

const ProjectDraft = Fields.extend({ name: fields.name.describe("Display name, up to 120 characters.") })
export type ProjectDraft = z.infer<typeof ProjectDraft>

const project = z.object({ project: Project.describe("The project.") })

export const projects = {
  list: json({
    method: "get",
    path: "/api/public/projects",
    summary: "List projects",
    description: "Returns the caller's projects, newest first.",
    scope: "assistants",
    query: z.object(pageQuery),
    large: true,
    output: z.object({
      projects: z.array(Project).describe("Projects of this page, newest first."),
      pagination: Pagination,
    }),
  }),
  create: json({
    method: "post",
    path: "/api/public/projects",
    summary: "Create a project",
    description: "Creates an empty project. Move chats into it with `PATCH /api/public/chats/{id}`.",
    errors: ["not_found", "conflict"],
    scope: "assistants",
    body: ProjectDraft,
    status: 201,
    output: project,
  }),
  read: json({
    method: "get",
    path: "/api/public/projects/:id",
    summary: "Get a project",
    description: "Returns one of the caller's projects.",
    scope: "assistants",
    output: project,
  }),
  update: json({
    method: "patch",
    path: "/api/public/projects/:id",
    summary: "Change a project",
    description: "Omitted fields keep their value. Its chats use the change from their next question on.",
    scope: "assistants",
    body: ProjectPatch,
    output: project,
  }),
  remove: json({
    method: "delete",
    path: "/api/public/projects/:id",
    summary: "Delete a project",
    description: "Its chats are kept without a project. The deletion can be undone with the returned token.",
    scope: "assistants",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: Id.describe("Identifier of the deleted project."),
      undo: Undo,
    }),
  }),
} as const
