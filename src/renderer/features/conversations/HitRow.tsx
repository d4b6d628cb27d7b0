import { Link } from "wouter"
import type { ChatSearchHit } from "../../../shared/contract/conversations.ts"
import { routes } from "../../lib/navigation/routes.ts"

/** A search hit in a chat's text, which links to that message. */
export function HitRow({ hit }: { hit: ChatSearchHit & { messageId: string } }) {
  const { chatId, messageId, title, snippet } = hit
  const text = snippet.map((piece) => piece.text).join("")
  return (
    <Link
      href={routes.chatMessage(chatId, messageId)}
      title={`${title}\n${text}`}
      className="flex h-full flex-col justify-center rounded-md px-2 text-soft transition-colors hover:bg-hover hover:text-ink"
    >
      <span className="truncate text-sm">{title}</span>
      <span className="line-clamp-2 text-xs leading-4 break-words text-faint">
        {snippet.map((piece, index) =>
          piece.hit ? (
            // oxlint-disable-next-line react/no-array-index-key -- pieces have nothing else
            <mark key={index} className="bg-mark text-ink">
              {piece.text}
            </mark>
          ) : (
            piece.text
          ),
        )}
      </span>
    </Link>
  )
}
