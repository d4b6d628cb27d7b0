/** Names that this version of Casella, or a user on its behalf, puts into a data directory. */
const present =
  /^(casella\.sqlite(-wal|-shm|-journal|[.~].*)?|casella\.json|box\.lock(-journal)?|(box|clock|database)\.json(\.new)?|(secrets|gpu|models)\.json(\.new)?|folders|trash|chat-files|uploads|tmp|index(\.broken)?|tables|models|avatars|ocr-languages|logs|snapshots|backups|reserve|changes-missing|desktop|restore-(ready|moving|rescued)|before-restore-\d+|salvaging\.sqlite.*|\.casella-partial-.*)$/
/** Names that only earlier versions used. */
const past = /^(incoming|(backup|restore)-[\w-]+)$/
/** Names that systems put into any directory, or next to a directory on a separate drive. */
const systemNames =
  /^(lost\+found|\.(cache|config|local|keep|gitkeep|snapshots?|zfs|nfs.*|stfolder.*|stversions|stignore|dropbox.*)|@eaDir|#(recycle|snapshot)|\.DS_Store|\._.*|\.(directory|fseventsd|Spotlight-V100|TemporaryItems|Trashes|Trash-\d+)|(desktop\.ini|Thumbs\.db)|\$RECYCLE\.BIN|System Volume Information)$/i

/** Returns the names that neither Casella nor a system would have used in a data directory. */
export const foreignNames = (names: readonly string[]): string[] =>
  names.filter((name) => ![present, past, systemNames].some((own) => own.test(name)))
