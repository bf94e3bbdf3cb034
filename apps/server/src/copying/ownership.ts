import { type Repositories, type Repository, records, type Stored, type Where } from '@posthorn/core/ports'

export type Kind = keyof Repositories

/** What is copied as a whole: all of an account that is no project's, or all of a project. */
export type Owner = { readonly of: 'account' | 'project'; readonly id: string }

/** Records of one kind that belong to one owner. */
export type Share = { readonly kind: Kind; readonly where: Where<Stored> }

/** What the owner has of every kind, the record of itself left out: that one is written last. */
export const sharesOf = ({ of, id }: Owner): readonly Share[] =>
  (Object.keys(records) as Kind[]).flatMap((kind) => {
    const field = records[kind].owner[of]
    return field === undefined || field === '_id' ? [] : [{ kind, where: { [field]: id } as Where<Stored> }]
  })

/** The repository of a kind, for what is the same with all of them. */
export const repositoryOf = (repositories: Repositories, kind: Kind): Repository<Stored> =>
  repositories[kind] as unknown as Repository<Stored>
