/** English sentences by code; `sentence.ts` tells how values stand in them. */
export const quotas = {
  files:
    "You may have {{most, number}} files and have {{used, number}}: delete some first, or ask an owner for more.",
  bytes:
    "You may store {{most}} and have {{used}}, so there is no room for {{wanted}} more: delete files first, or ask an owner for more.",
  answers:
    "You may ask for {{most, number}} answers a day and have had {{used, number}}. It begins anew at 00:00 UTC.",
  tokens:
    "You may use {{most, number}} tokens a day and have used {{used, number}}. It begins anew at 00:00 UTC.",
  workspace_files:
    "The workspace may have {{most, number}} files and has {{used, number}}: delete some first, or ask an owner for more.",
  workspace_bytes:
    "The workspace may store {{most}} and has {{used}}, so there is no room for {{wanted}} more: delete files first, or ask an owner for more.",
  workspace_answers:
    "The workspace may ask for {{most, number}} answers a day and has had {{used, number}}. It begins anew at 00:00 UTC.",
  workspace_tokens:
    "The workspace may use {{most, number}} tokens a day and has used {{used, number}}. It begins anew at 00:00 UTC.",
  no_person: "There is no such person.",
  no_workspace: "There is no such workspace.",
} as const
