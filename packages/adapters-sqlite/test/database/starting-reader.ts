import { openReaders } from '../../src/database/readers.js'

/** A process of its own that exits when the first of its threads is there, while others start: `starting-reader.ts <file>`. */
const [file = ''] = process.argv.slice(2)

await Promise.race(
  Array.from({ length: 4 }, () => openReaders(file)).flatMap((readers) =>
    ['a', 'b'].map((owner) => readers.request(owner)('SELECT 1')),
  ),
)
process.exit(3)
