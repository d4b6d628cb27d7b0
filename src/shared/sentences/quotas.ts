/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const quotas = {
  files:
    "You have {{used, number}} of {{most, number}} files. Delete some first, or ask an owner for a higher limit.",
  bytes:
    "You're using {{used}} of {{most}}, so there is no space for {{wanted}} more. Delete files first, or ask an owner for a higher limit.",
  answers: "You've used {{used, number}} of {{most, number}} answers today. The limit resets at 00:00 UTC.",
  tokens: "You've used {{used, number}} of {{most, number}} tokens today. The limit resets at 00:00 UTC.",
  workspace_files:
    "The workspace has {{used, number}} of {{most, number}} files. Delete some first, or ask an owner for a higher limit.",
  workspace_bytes:
    "The workspace is using {{used}} of {{most}}, so there is no space for {{wanted}} more. Delete files first, or ask an owner for a higher limit.",
  workspace_answers:
    "The workspace has used {{used, number}} of {{most, number}} answers today. The limit resets at 00:00 UTC.",
  workspace_tokens:
    "The workspace has used {{used, number}} of {{most, number}} tokens today. The limit resets at 00:00 UTC.",
  no_person: "Person not found.",
  no_workspace: "Workspace not found.",
  size: "{{size, number}} {{symbol}}",
} as const
