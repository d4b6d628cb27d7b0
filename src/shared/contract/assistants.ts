import { z } from "zod"
import { Undo } from "./deletions.ts"
import { bytes, json } from "./endpoint.ts"
import { Visibility } from "./folders.ts"
import { ModelId } from "./model-servers.ts"
import {
  atMost,
  HexColor,
  IconName,
  Id,
  pageQuery,
  Pagination,
  searchQuery,
  Timestamp,
} from "./primitives.ts"
import { BuiltInTools } from "./tools.ts"
import { wrong } from "./wrong.ts"

export const PermissionMode = z.enum(["auto", "ask", "bypass"]).meta({ id: "PermissionMode" })
export type PermissionMode = z.infer<typeof PermissionMode>

export const Suggestion = z.object({
  label: atMost(200, z.string().min(1)),
  prompt: atMost(4000, z.string().min(1)),
})
export type Suggestion = z.infer<typeof Suggestion>

/** An assistant in lists; `instructions` are cut after 200 characters. */
export const AssistantEntry = z
  .object({
    id: Id,
    name: z.string(),
    handle: z.string(),
    description: z.string(),
    instructions: z.string(),
    visibility: Visibility,
    icon: z.string().nullable(),
    color: z.string().nullable(),
    customImage: z.string().nullable(),
    modelId: z
      .string()
      .nullable()
      .meta({ description: "The model that it answers with; null: the chosen one" }),
    builtInTools: z.record(z.string(), z.boolean()),
    vectorIds: z.array(Id),
    vectors: z.array(z.object({ id: Id, name: z.string() })),
    enabled: z.boolean(),
    owned: z.boolean().meta({ description: "Whether the caller owns the assistant and may edit it" }),
    ownerName: z.string().meta({ description: "Who shares it, or the caller" }),
    createdAt: Timestamp,
  })
  .meta({ id: "AssistantEntry" })
export type AssistantEntry = z.infer<typeof AssistantEntry>

export const Assistant = AssistantEntry.extend({
  vectors: z.array(z.object({ id: Id, name: z.string(), description: z.string() })),
  permissionMode: PermissionMode,
  suggestions: z.array(Suggestion),
  writtenByScopedKey: z.literal(true).optional().meta({
    description:
      "A key with scopes wrote it: `bypass` works like `auto` until its `instructions` are sent with full rights",
  }),
}).meta({ id: "Assistant" })
export type Assistant = z.infer<typeof Assistant>

/** Number of characters of `instructions` in lists. */
export const instructionsPreview = 200

const fields = {
  name: atMost(120, z.string().trim().min(1)),
  handle: z.string().regex(/^[a-z0-9]{1,120}$/, wrong("lowercase_and_digits")),
  description: atMost(10_000).nullable(),
  instructions: atMost(100_000).nullable(),
  visibility: Visibility.nullable(),
  vectorIds: z.array(Id).max(50).nullable(),
  builtInTools: BuiltInTools.nullable(),
  permissionMode: PermissionMode.nullable(),
  icon: IconName.nullable(),
  color: HexColor.nullable(),
  customImage: z
    .url({ protocol: /^https?$|^data$/, ...wrong("web_or_image_address") })
    .refine((url) => !/^data:(?!image\/)/i.test(url), wrong("web_or_image_address"))
    .max(1_000_000)
    .nullable(),
  suggestions: z.array(Suggestion).max(12).nullable(),
  modelId: ModelId.nullable(),
  enabled: z.boolean().nullable(),
}

const Fields = z.object(fields).partial()

/** `null` clears an optional field; omitted fields stay unchanged. */
export const AssistantPatch = Fields.extend({ handle: fields.handle.nullable().optional() })
export type AssistantPatch = z.infer<typeof AssistantPatch>

export const AssistantDraft = AssistantPatch.extend({ name: fields.name })
export type AssistantDraft = z.infer<typeof AssistantDraft>

export const assistants = {
  list: json({
    method: "get",
    path: "/api/public/assistants",
    summary: "Assistants the caller can use, newest first",
    scope: "assistants",
    query: z.object({ ...pageQuery, search: searchQuery }),
    large: true,
    output: z.object({ assistants: z.array(AssistantEntry), pagination: Pagination }),
  }),
  create: json({
    method: "post",
    path: "/api/public/assistants",
    summary: "Create an assistant; the caller becomes its owner",
    scope: "assistants",
    body: AssistantDraft,
    status: 201,
    output: z.object({ assistant: Assistant }),
  }),
  handle: json({
    method: "get",
    path: "/api/public/assistant-handle",
    summary: "The handle that an assistant of this name would get, and whether it is the one wanted",
    scope: "assistants",
    query: z.object({
      wanted: fields.name.meta({ description: "A handle, or a name that one is derived from" }),
      assistantId: Id.optional().meta({ description: "The assistant that may keep the handle it has" }),
    }),
    output: z.object({ handle: z.string(), free: z.boolean() }),
  }),
  read: json({
    method: "get",
    path: "/api/public/assistants/:id",
    summary: "One assistant with its full instructions",
    scope: "assistants",
    output: z.object({ assistant: Assistant }),
  }),
  image: bytes({
    method: "get",
    path: "/api/public/assistants/:id/image",
    mediaType: "image/*",
    summary:
      "The box's copy of a `customImage` on the web (PNG, JPEG, GIF or WebP); 404 where there is none or it can't be fetched",
    scope: "assistants",
  }),
  update: json({
    method: "patch",
    path: "/api/public/assistants/:id",
    summary: "Change an assistant (owner only)",
    scope: "assistants",
    body: AssistantPatch,
    output: z.object({ assistant: Assistant }),
  }),
  remove: json({
    method: "delete",
    path: "/api/public/assistants/:id",
    summary: "Delete an assistant (owner only); its conversations are kept",
    scope: "assistants",
    output: z.object({ success: z.literal(true), id: Id, undo: Undo }),
  }),
} as const
