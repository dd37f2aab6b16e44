"""A client that knows nothing of Kawaraban but its proto files, from which its code was generated."""

import json
import sys

import grpc
from avion import post_pb2, post_pb2_grpc, timeline_pb2, timeline_pb2_grpc, user_pb2, user_pb2_grpc

address, token, user_id = sys.argv[1:4]
metadata = [("authorization", "Bearer " + token)]

with grpc.insecure_channel(address) as channel:
    timelines = timeline_pb2_grpc.TimelineServiceStub(channel)
    users = user_pb2_grpc.UserServiceStub(channel)
    posts = post_pb2_grpc.PostServiceStub(channel)

    created = posts.CreateDrop(
        post_pb2.CreateDropRequest(text="こんにちは from Python", visibility=post_pb2.VISIBILITY_PUBLIC),
        metadata=metadata,
        timeout=20,
    )
    home = []
    cursor = ""
    while True:
        page = timelines.GetHomeTimeline(
            timeline_pb2.GetTimelineRequest(user_id=user_id, limit=2, max_id=cursor),
            metadata=metadata,
            timeout=20,
        )
        home.extend(page.drop_ids)
        cursor = page.older_cursor
        if not cursor:
            break
    following = users.GetFollowingList(
        user_pb2.GetFollowingListRequest(user_id=user_id), metadata=metadata, timeout=20
    )
    refusals = {}
    for name, request, sent in [
        ("too many", timeline_pb2.GetTimelineRequest(limit=1000), metadata),
        ("without_token", timeline_pb2.GetTimelineRequest(), []),
        ("another", timeline_pb2.GetTimelineRequest(user_id=following.user_ids[0]), metadata),
    ]:
        try:
            timelines.GetHomeTimeline(request, metadata=sent, timeout=20)
        except grpc.RpcError as error:
            refusals[name] = [error.code().name, error.details()]

print(json.dumps({"created": created.drop.id, "home": home, "following": list(following.user_ids), "refusals": refusals}))
