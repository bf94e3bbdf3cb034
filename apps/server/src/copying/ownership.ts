import { type Repositories, type Repository, records, type Stored, type Where } from '@posthorn/core/ports/storage'

export type Kind = keyof Repositories

/** The unit of copying: an account's data outside its projects, or a project's data. */
export type Owner = { readonly of: 'account' | 'project'; readonly id: string }

/** The records of one kind that belong to one owner. */
export type Share = { readonly kind: Kind; readonly where: Where<Stored> }

/** The owner's records of every kind, except its own record, which is written last. */
export const sharesOf = ({ of, id }: Owner): readonly Share[] =>
  (Object.keys(records) as Kind[]).flatMap((kind) => {
    const field = records[kind].owner[of]
    return field === undefined || field === '_id' ? [] : [{ kind, where: { [field]: id } as Where<Stored> }]
  })

/** The repository of a kind, typed for code that handles all kinds. */
export const repositoryOf = (repositories: Repositories, kind: Kind): Repository<Stored> =>
  repositories[kind] as unknown as Repository<Stored>
