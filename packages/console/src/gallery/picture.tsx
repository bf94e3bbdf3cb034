import { Icon } from '../ui/icons.js'
import { imageSource } from './gallery-queries.js'

export const Picture = ({ url, alt }: { readonly url: string; readonly alt: string }) => {
  const source = imageSource(url)
  return source === undefined ? (
    <Icon name="image" size={32} />
  ) : (
    <img src={source} alt={alt} loading="lazy" draggable={false} />
  )
}
