/** What this Casella puts into a data directory, and what people put there for it. */
const present =
  /^(casella\.sqlite(-wal|-shm|-journal|[.~].*)?|casella\.json|box\.lock(-journal)?|(box|clock|database)\.json(\.new)?|(secrets|gpu|models)\.json(\.new)?|folders|trash|chat-files|uploads|tmp|index(\.broken)?|tables|models|avatars|ocr-languages|logs|snapshots|backups|reserve|changes-missing|desktop|restore-(ready|moving|rescued)|before-restore-\d+|salvaging\.sqlite.*|\.casella-partial-.*)$/
/** What only earlier ones did. */
const past = /^(incoming|(backup|restore)-[\w-]+)$/
/** What systems put into any directory, or beside it on a disk of its own. */
const ofSystems =
  /^(lost\+found|\.(cache|config|local|keep|gitkeep|snapshots?|zfs|nfs.*|stfolder.*|stversions|stignore|dropbox.*)|@eaDir|#(recycle|snapshot)|\.DS_Store|\._.*|\.(directory|fseventsd|Spotlight-V100|TemporaryItems|Trashes|Trash-\d+)|(desktop\.ini|Thumbs\.db)|\$RECYCLE\.BIN|System Volume Information)$/i

/** The names that no Casella, nor a system, would have given to anything in a data directory. */
export const foreignNames = (names: readonly string[]): string[] =>
  names.filter((name) => ![present, past, ofSystems].some((own) => own.test(name)))
