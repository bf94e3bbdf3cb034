import type { KeyScope } from '@posthorn/core'
import { keyScopes } from '@posthorn/core/ports/transport'
import { type Command, Option } from 'commander'
import { projectScope } from './command-context.js'
import { inContext } from './in-context.js'
import { table } from './output.js'

/** `posthorn project …` and `posthorn key …`: what is never managed through the API itself. */
export const projectCommands = (program: Command): void => {
  const project = program.command('project').description('projects are what everything belongs to')
  project
    .command('create')
    .argument('<account>', 'id of the account that owns it')
    .argument('<name>')
    .option(
      '--from <project>',
      'a project of the account, whose templates, design system and emails of templates it begins with',
    )
    .description('make a project, in sandbox')
    .action(
      inContext(async ({ core, output }, accountId: string, name: string, { from }: { from?: string }) => {
        const made = await core.projects.create({ accountId, name, ...(from !== undefined && { from }) })
        output.result(made, `Project ${made._id} (${made.name}), ${made.status}`)
      }),
    )
  project
    .command('list')
    .description('all projects')
    .action(
      inContext(async ({ core, output }, _options: object) => {
        const all = await core.projects.all()
        output.result(
          all,
          table([
            ['ID', 'NAME', 'STATUS'],
            ...all.map(({ _id, name, status, restricted }) => [
              _id,
              name,
              restricted ? `${status}, restricted` : status,
            ]),
          ]),
        )
      }),
    )

  const key = program.command('key').description('API keys of a project')
  key
    .command('create')
    .argument('[project]', 'id of the project; the only one where there is one')
    .option('--name <name>', 'what it is for', 'API key')
    .addOption(new Option('--scope <scope>', 'what it opens').choices(keyScopes).default('full'))
    .description('make a key; it is shown this once')
    .action(
      inContext(async (context, project: string | undefined, { name, scope }: { name: string; scope: KeyScope }) => {
        const { projectId } = await projectScope(context, project)
        const made = await context.core.apiKeys.create(projectId, { name, scope })
        context.output.result({ ...made.apiKey, key: made.key }, made.key)
        context.output.note(`(shown this once; id ${made.apiKey._id}, scope ${made.apiKey.scope})`)
      }),
    )
  key
    .command('list')
    .argument('[project]', 'id of the project')
    .description('keys of the project, by their last four characters')
    .action(
      inContext(async (context, project: string | undefined, _options: object) => {
        const { projectId } = await projectScope(context, project)
        const keys = await context.core.apiKeys.list(projectId)
        const rows = keys.map(({ _id, name, scope, lastFour, createdAt, revokedAt }) => [
          _id,
          name,
          scope,
          `…${lastFour}`,
          createdAt,
          revokedAt ?? '',
        ])
        context.output.result(keys, table([['ID', 'NAME', 'SCOPE', 'KEY', 'CREATED', 'REVOKED'], ...rows]))
      }),
    )
  key
    .command('revoke')
    .argument('<key>', 'id of the key')
    .option('--project <id>', 'the project, where there are several')
    .description('close a key for good')
    .action(
      inContext(async (context, id: string, { project }: { project?: string }) => {
        const { projectId } = await projectScope(context, project)
        const revoked = await context.core.apiKeys.revoke(projectId, id)
        context.output.result(revoked, `The key …${revoked.lastFour} opens nothing any more`)
      }),
    )
}
