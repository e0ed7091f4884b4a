"""The link by which people take the bot into their server, with the rights that it needs there."""

import discord

PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    create_public_threads=True,  # for discord.auto_thread
    embed_links=True,  # questions and approvals stand on cards
    attach_files=True,
    read_message_history=True,  # replies, and discord.backfill
    add_reactions=True,  # for chats.marks
)
SCOPES = ("bot", "applications.commands")


def invite_link(application_id: int) -> str:
    """What its owner has to open once for each server."""
    return discord.utils.oauth_url(application_id, permissions=PERMISSIONS, scopes=SCOPES)
