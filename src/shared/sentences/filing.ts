/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const filing = {
  bytes_missing: "The contents of this file are missing, so it can't be moved.",
  chat_stays_here:
    "This chat has read content that stays on this computer, so nothing from it can go to a folder that may leave this computer.",
  more_readers: "More people can read that folder than when you were asked. Nothing was changed.",
  changed_since: "The file has since been renamed, moved or tagged again. Undo that first.",
  everyone_reads: "{{what}} Everyone who uses this Casella can read it there.",
  folder_created: "{{folder}} (created {{created}})",
  move: 'Move "{{file}}" from {{folder}} to {{target}}.',
  moved_meanwhile: "The file was renamed or moved in the meantime. Check it, then try again.",
  name_taken: '"{{name}}" already exists there. Choose another name.',
  none_such: "Change not found.",
  note: 'Add the note "{{name}}" to "{{file}}" in {{folder}}: {{count, number}} characters.',
  path: '"{{path}}"',
  rename: 'Rename "{{file}}" in {{folder}} to "{{name}}".',
  several_files: "Several files have this name. Use one of these ids: {{all}}",
  stays_here:
    "{{folder}} stays on this computer, so nothing from it can go to a folder that may leave this computer.",
  tag: 'Tag "{{file}}" in {{folder}}: "{{tags}}".',
  team_reads: "{{what}} Your team can read it there.",
  undone: "This was already undone.",
  untag: 'Remove all tags from "{{file}}" in {{folder}}.',
} as const
