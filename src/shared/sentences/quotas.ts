/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const quotas = {
  files:
    "Your limit of files is {{most, number}}, and you have {{used, number}}: delete some first, or ask an owner for more.",
  bytes:
    "You may store {{most}} and have {{used}}, so there is no room for {{wanted}} more: delete files first, or ask an owner for more.",
  answers:
    "Your limit of answers a day is {{most, number}}, and you have had {{used, number}}. It begins anew at 00:00 UTC.",
  tokens:
    "Your limit of tokens a day is {{most, number}}, and you have used {{used, number}}. It begins anew at 00:00 UTC.",
  workspace_files:
    "The workspace’s limit of files is {{most, number}}, and it has {{used, number}}: delete some first, or ask an owner for more.",
  workspace_bytes:
    "The workspace may store {{most}} and has {{used}}, so there is no room for {{wanted}} more: delete files first, or ask an owner for more.",
  workspace_answers:
    "The workspace’s limit of answers a day is {{most, number}}, and it has had {{used, number}}. It begins anew at 00:00 UTC.",
  workspace_tokens:
    "The workspace’s limit of tokens a day is {{most, number}}, and it has used {{used, number}}. It begins anew at 00:00 UTC.",
  no_person: "There is no such person.",
  no_workspace: "There is no such workspace.",
} as const
