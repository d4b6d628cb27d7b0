/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const filing = {
  bytes_missing: "The bytes of this file aren't where they were, so it can't be moved.",
  chat_stays_here:
    "This chat has read what stays on this computer, so nothing of it goes to a folder that may leave it.",
  more_readers: "More people can read that folder than when you were asked. Nothing was changed.",
  changed_since: "The file has been renamed, moved or tagged since. Undo that first.",
  everyone_reads: "{{what}} Everyone who uses this Casella can read it there.",
  folder_created: "{{folder}} (created {{created}})",
  move: 'Move "{{file}}" from {{folder}} to {{target}}.',
  moved_meanwhile: "The file was renamed or moved meanwhile. Look at it, then try again.",
  name_taken: '"{{name}}" is there already. Choose another name.',
  none_such: "There is no such change.",
  note: 'Write the note "{{name}}" beside "{{file}}" in {{folder}}: {{count}} characters.',
  path: '"{{path}}"',
  rename: 'Rename "{{file}}" in {{folder}} to "{{name}}".',
  several_files: "Several files are called so. Name one by its id: {{all}}",
  stays_here: "{{folder}} stays on this computer, so nothing of it goes to a folder that may leave it.",
  tag: 'Tag "{{file}}" in {{folder}}: "{{tags}}".',
  team_reads: "{{what}} Your team can read it there.",
  undone: "This was undone already.",
  untag: 'Take all tags off "{{file}}" in {{folder}}.',
} as const
