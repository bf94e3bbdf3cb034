/** `image/png,image/svg+xml` as people call them. */
export const fileTypes = (types: string): string =>
  types
    .split(',')
    .map((type) => type.replace(/^image\//, '').replace(/\+xml$/, ''))
    .map((name) => (name === 'webp' ? 'WebP' : name.toUpperCase()))
    .join(', ')
