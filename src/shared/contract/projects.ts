import { z } from "zod"
import { Undo } from "./deletions.ts"
import { json } from "./endpoint.ts"
import { atMost, Id, pageQuery, Pagination, Timestamp } from "./primitives.ts"
import { wrong } from "./wrong.ts"

/** A group of chats that share the project's instructions and folders. */
export const Project = z
  .object({
    id: Id,
    name: z.string(),
    instructions: z.string(),
    vectorIds: z.array(Id).meta({
      description: "Its folders; one that is gone or may not be read any more is left out",
    }),
    assistantId: Id.nullable().meta({
      description: "Who answers in its chats unless the question says otherwise; it may be gone since",
    }),
    createdAt: Timestamp,
    writtenByScopedKey: z.literal(true).optional().meta({
      description:
        "A key with scopes changed it: `bypass` works like `auto` in its chats until `instructions` and `assistantId` are sent with full rights",
    }),
  })
  .meta({ id: "Project" })
export type Project = z.infer<typeof Project>

const fields = {
  name: atMost(120, z.string().trim().min(1)),
  instructions: atMost(100_000).nullable(),
  vectorIds: z.array(Id).max(50).nullable(),
  assistantId: Id.nullable(),
}
const Fields = z.object(fields).partial()

/** `null` clears a field; omitted fields stay unchanged. */
const ProjectPatch = Fields.refine((patch) => Object.values(patch).some((value) => value !== undefined), {
  path: ["name"],
  ...wrong("missing"),
})
export type ProjectPatch = z.infer<typeof ProjectPatch>

const ProjectDraft = Fields.extend({ name: fields.name })
export type ProjectDraft = z.infer<typeof ProjectDraft>

const project = z.object({ project: Project })

export const projects = {
  list: json({
    method: "get",
    path: "/api/public/projects",
    summary: "The caller's projects, newest first",
    scope: "assistants",
    query: z.object(pageQuery),
    large: true,
    output: z.object({ projects: z.array(Project), pagination: Pagination }),
  }),
  create: json({
    method: "post",
    path: "/api/public/projects",
    summary: "Create a project",
    scope: "assistants",
    body: ProjectDraft,
    status: 201,
    output: project,
  }),
  read: json({
    method: "get",
    path: "/api/public/projects/:id",
    summary: "One project",
    scope: "assistants",
    output: project,
  }),
  update: json({
    method: "patch",
    path: "/api/public/projects/:id",
    summary: "Change a project; its chats follow with their next question",
    scope: "assistants",
    body: ProjectPatch,
    output: project,
  }),
  remove: json({
    method: "delete",
    path: "/api/public/projects/:id",
    summary: "Delete a project; its chats stay, without project",
    scope: "assistants",
    output: z.object({ success: z.literal(true), id: Id, undo: Undo }),
  }),
} as const
