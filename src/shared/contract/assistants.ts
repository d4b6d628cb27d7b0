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

export const PermissionMode = z.enum(["auto", "ask", "bypass"]).meta({
  id: "PermissionMode",
  description:
    "When tool calls need approval. `auto`: calls that change something do. `ask`: all calls do. `bypass`: none do.",
})
export type PermissionMode = z.infer<typeof PermissionMode>

export const Suggestion = z.object({
  label: atMost(200, z.string().min(1)).describe("Text of the button, up to 200 characters."),
  prompt: atMost(4000, z.string().min(1)).describe("Message that the button sends, up to 4,000 characters."),
})
export type Suggestion = z.infer<typeof Suggestion>

/** An assistant in lists; `instructions` are cut after 200 characters. */
export const AssistantEntry = z
  .object({
    id: Id.describe("Identifier of the assistant."),
    name: z.string().describe("Display name, up to 120 characters."),
    handle: z
      .string()
      .describe("Name for mentions (`@handle`): lowercase letters and digits, unique on this server."),
    description: z.string().describe("One line about the assistant, shown in lists."),
    instructions: z.string().describe("System prompt; in lists, its first 200 characters."),
    visibility: Visibility.describe("Who can use the assistant. Only its owner can change it."),
    icon: z
      .string()
      .nullable()
      .describe("Name of the icon (PascalCase, from Lucide) used as avatar; null if there is none."),
    color: z.string().nullable().describe("Colour behind the icon, as `#RRGGBB`; null if there is none."),
    customImage: z
      .string()
      .nullable()
      .describe("Address of an image used in place of the icon; null if there is none."),
    modelId: z
      .string()
      .nullable()
      .describe("Model that the assistant answers with; null for the server's chat model."),
    builtInTools: z
      .record(z.string(), z.boolean())
      .describe("Tools that the assistant may call, by tool key. Tools that are missing are off."),
    vectorIds: z
      .array(Id)
      .describe("Folders that the assistant searches. Folders that the caller can't read are left out."),
    vectors: z
      .array(
        z.object({
          id: Id.describe("Identifier of the folder."),
          name: z.string().describe("Name of the folder."),
        }),
      )
      .describe("The folders of `vectorIds`, with their names."),
    enabled: z
      .boolean()
      .describe("false if the assistant is switched off. Questions to it are then 409 `assistant_disabled`."),
    owned: z.boolean().describe("true if the caller owns the assistant and can change it."),
    ownerName: z.string().describe("Name of the owner."),
    createdAt: Timestamp.describe("When the assistant was created."),
  })
  .meta({
    id: "AssistantEntry",
    description: "An assistant in a list, with the first 200 characters of its instructions.",
  })
export type AssistantEntry = z.infer<typeof AssistantEntry>

export const Assistant = AssistantEntry.extend({
  vectors: z
    .array(
      z.object({
        id: Id.describe("Identifier of the folder."),
        name: z.string().describe("Name of the folder."),
        description: z.string().describe("Description of the folder."),
      }),
    )
    .describe("The folders of `vectorIds`, with names and descriptions."),
  permissionMode: PermissionMode,
  suggestions: z.array(Suggestion).describe("Starter prompts on the empty chat screen, at most 12."),
  writtenByScopedKey: z
    .literal(true)
    .optional()
    .describe(
      "true if a key with scopes wrote the instructions. `bypass` then works like `auto` until the instructions are sent with full rights.",
    ),
}).meta({ id: "Assistant", description: "An assistant with its full instructions." })
export type Assistant = z.infer<typeof Assistant>

/** Number of characters of `instructions` in lists. */
export const instructionsPreview = 200

const fields = {
  name: atMost(120, z.string().trim().min(1)).describe("Display name, up to 120 characters."),
  handle: z
    .string()
    .regex(/^[a-z0-9]{1,120}$/, wrong("lowercase_and_digits"))
    .describe("Name for mentions: lowercase letters and digits, unique on this server."),
  description: atMost(10_000)
    .nullable()
    .describe("One line about the assistant, shown in lists, up to 10,000 characters."),
  instructions: atMost(100_000).nullable().describe("System prompt, up to 100,000 characters."),
  visibility: Visibility.nullable().describe(
    "Who can use the assistant, `PRIVATE` by default. Sharing an assistant never lets others change it.",
  ),
  vectorIds: z
    .array(Id)
    .max(50)
    .nullable()
    .describe("Folders that the assistant searches, at most 50. An update replaces the whole list."),
  builtInTools: BuiltInTools.nullable().describe(
    "Tools that the assistant may call, by tool key (`GET /api/public/tools`). Keys that are missing are off. An update replaces the whole object.",
  ),
  permissionMode: PermissionMode.nullable().describe(
    "When tool calls need approval, `auto` by default. Only a key with full rights can set `bypass`.",
  ),
  icon: IconName.nullable().describe("Name of an icon (PascalCase, from Lucide)."),
  color: HexColor.nullable().describe("Colour behind the icon, as `#RRGGBB`."),
  customImage: z
    .url({ protocol: /^https?$|^data$/, ...wrong("web_or_image_address") })
    .refine((url) => !/^data:(?!image\/)/i.test(url), wrong("web_or_image_address"))
    .max(1_000_000)
    .nullable()
    .describe("Address of an image used in place of the icon."),
  suggestions: z
    .array(Suggestion)
    .max(12)
    .nullable()
    .describe("Starter prompts, at most 12. An update replaces the whole list."),
  modelId: ModelId.nullable().describe(
    "Model that the assistant answers with; null for the server's chat model.",
  ),
  enabled: z.boolean().nullable().describe("false switches the assistant off."),
}

const Fields = z.object(fields).partial()

/** `null` clears an optional field; omitted fields stay unchanged. */
export const AssistantPatch = Fields.extend({
  handle: fields.handle
    .nullable()
    .optional()
    .describe(
      "New name for mentions: lowercase letters and digits, unique on this server. null derives one from the name.",
    ),
})
export type AssistantPatch = z.infer<typeof AssistantPatch>

export const AssistantDraft = AssistantPatch.extend({
  name: fields.name.describe(
    "Display name, up to 120 characters. The handle is derived from it unless `handle` is given.",
  ),
})
export type AssistantDraft = z.infer<typeof AssistantDraft>

export const assistants = {
  list: json({
    method: "get",
    path: "/api/public/assistants",
    summary: "List assistants",
    description:
      "Returns the assistants that the caller can use: their own and those shared with the team. Newest first.",
    scope: "assistants",
    query: z.object({
      ...pageQuery,
      search: searchQuery.describe("Return only assistants whose name contains this text, in any case."),
    }),
    large: true,
    output: z.object({
      assistants: z.array(AssistantEntry).describe("Assistants of this page, newest first."),
      pagination: Pagination,
    }),
  }),
  create: json({
    method: "post",
    path: "/api/public/assistants",
    summary: "Create an assistant",
    description:
      "The caller becomes the owner. 403 lists folders in `details` that the caller can't read; nothing is created then.",
    errors: ["handle_taken", "conflict"],
    scope: "assistants",
    body: AssistantDraft,
    status: 201,
    output: z.object({ assistant: Assistant }),
  }),
  handle: json({
    method: "get",
    path: "/api/public/assistant-handle",
    summary: "Suggest a handle",
    description:
      "Returns the handle that an assistant with this name would get, and whether the wanted handle is free.",
    scope: "assistants",
    query: z.object({
      wanted: fields.name.describe("A handle, or a name that a handle is derived from."),
      assistantId: Id.optional().describe("Assistant that may keep its own handle."),
    }),
    output: z.object({
      handle: z.string().describe("A free handle, the wanted one if possible."),
      free: z.boolean().describe("true if the wanted handle is free."),
    }),
  }),
  read: json({
    method: "get",
    path: "/api/public/assistants/:id",
    summary: "Get an assistant",
    description: "Returns an assistant that the caller can use, with its full instructions.",
    scope: "assistants",
    output: z.object({ assistant: Assistant }),
  }),
  image: bytes({
    method: "get",
    path: "/api/public/assistants/:id/image",
    mediaType: "image/*",
    summary: "Get an assistant's image",
    description:
      "Returns the server's copy of the image at `customImage` as PNG, JPEG, GIF or WebP. 404 if there is none or it can't be fetched.",
    scope: "assistants",
  }),
  update: json({
    method: "patch",
    path: "/api/public/assistants/:id",
    summary: "Change an assistant",
    description:
      "Owner only; for everyone else the assistant is 404. Omitted fields keep their value. `vectorIds`, `builtInTools` and `suggestions` are replaced as a whole.",
    errors: ["handle_taken"],
    scope: "assistants",
    body: AssistantPatch,
    output: z.object({ assistant: Assistant }),
  }),
  remove: json({
    method: "delete",
    path: "/api/public/assistants/:id",
    summary: "Delete an assistant",
    description:
      "Owner only. Chats with the assistant are kept. The deletion can be undone with the returned token.",
    scope: "assistants",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: Id.describe("Identifier of the deleted assistant."),
      undo: Undo,
    }),
  }),
} as const
