/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const pictures = {
  elsewhere:
    "Pictures at other addresses aren't fetched. Put the picture into the request itself, as a data: URL.",
  ended: "The program that makes pictures ready for models ended, and ended again. Try once more.",
  not_data: "A picture must be a data: URL with the base64 of a PNG, JPEG, WebP or GIF.",
  not_seen: "{{model}} takes no pictures. Ask a model that sees them, or leave the picture out.",
  one_of: "{{name}}: {{what}}",
  too_large: "The picture has more than {{count}} MB. Take a smaller copy.",
  too_many: "A request may hold {{count}} pictures at most. Leave out some of them.",
} as const
