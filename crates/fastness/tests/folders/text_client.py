"""A client of folders made from the `.proto` alone, which does what the original text says and knows nothing else.

Usage: text_client.py ADDRESS KEY PROTO_FOLDER. Exits with 0 if everything was answered as the text (and its repairs) says.
"""

import queue
import sys
import tempfile
import threading
import time
import uuid

import grpc
from grpc_tools import protoc

ADDRESS, KEY, PROTO = sys.argv[1:4]
made = tempfile.mkdtemp()
protoc.main(["protoc", f"-I{PROTO}", f"--python_out={made}", f"--grpc_python_out={made}", f"{PROTO}/synxpo.proto"])
sys.path.insert(0, made)
import synxpo_pb2 as pb  # noqa: E402
import synxpo_pb2_grpc as rpc  # noqa: E402

WAIT_S = 20


class Client:
    """One connection: answers are found by their REQUEST_ID, events and contents come in their order."""

    def __init__(self, metadata=()):
        self.channel = grpc.insecure_channel(ADDRESS)
        self.to, self.answers, self.events = queue.Queue(), queue.Queue(), queue.Queue()
        metadata = (("authorization", f"Bearer {KEY}"), *metadata)
        self.call = rpc.SyncServiceStub(self.channel).Stream(iter(self.to.get, None), metadata=metadata)
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        try:
            for message in self.call:
                (self.answers if message.HasField("request_id") else self.events).put(message)
        except grpc.RpcError as error:
            self.events.put(error)

    def tell(self, **message):
        self.to.put(pb.ClientMessage(**message))

    def ask(self, **message):
        """Sends with a REQUEST_ID and waits for the answer with it."""
        request_id = str(uuid.uuid4())
        self.tell(request_id=request_id, **message)
        answer = self.answers.get(timeout=WAIT_S)
        assert answer.request_id == request_id, answer
        return getattr(answer, answer.WhichOneof("message")), answer.WhichOneof("message")

    def event(self, kind="check_version"):
        message = self.events.get(timeout=WAIT_S)
        assert message.WhichOneof("message") == kind, message
        return getattr(message, kind)

    def hears_nothing(self):
        """Nothing comes before the answer to something that is asked now."""
        self.ask(directory_unsubscribe=pb.DirectoryUnsubscribe(directory_id=str(uuid.uuid4())))
        assert self.events.empty(), self.events.get()

    def subscribe(self, directory):
        answer, kind = self.ask(directory_subscribe=pb.DirectorySubscribe(directory_id=directory))
        assert kind == "ok_subscribed" and answer.directory_id == directory, (kind, answer)
        return self.versions(directory)

    def versions(self, directory):
        request = pb.RequestVersion.FileRequest(directory_id=directory)
        answer, kind = self.ask(request_version=pb.RequestVersion(requests=[request]))
        assert kind == "check_version", (kind, answer)
        return {file.current_path: file for file in answer.files if not file.deleted}

    def increase(self, *files):
        return self.ask(ask_version_increase=pb.AskVersionIncrease(files=files))

    def write(self, directory, path, data, file_id="", size=1 << 20):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        for number, piece in enumerate(pieces):
            chunk = pb.FileChunk(
                id=file_id, directory_id=directory, current_path=path, data=piece, offset=number * size
            )
            self.tell(file_write=pb.FileWrite(chunk=chunk))

    def end(self):
        return self.ask(file_write_end=pb.FileWriteEnd())

    def upload(self, directory, path, data, file_id=None):
        answer, kind = self.increase(change(directory, path, file_id))
        assert kind == "version_increase_allow", (kind, answer)
        self.write(directory, path, data, file_id or "")
        answer, kind = self.end()
        assert kind == "version_increased", (kind, answer)
        return answer.files[0]

    def download(self, directory, file_id):
        wanted = pb.RequestFileContent.FileId(id=file_id, directory_id=directory)
        answer, kind = self.ask(request_file_content=pb.RequestFileContent(files=[wanted]))
        assert kind == "file_content_request_allow", (kind, answer)
        data = bytearray()
        while True:
            message = self.events.get(timeout=WAIT_S)
            if message.WhichOneof("message") == "file_write_end":
                return bytes(data)
            assert message.file_write.chunk.offset == len(data), message
            data += message.file_write.chunk.data

    def hang_up(self):
        self.call.cancel()
        self.channel.close()


def change(directory, path, file_id=None, content=True, deleted=False, time_us=None):
    return pb.AskVersionIncrease.FileInfo(
        id=file_id,
        directory_id=directory,
        first_try_time=pb.Timestamp(time=time_us or time.time_ns() // 1000),
        current_path=path,
        deleted=deleted,
        content_changed=content,
        type=pb.FILE,
    )


def statuses(answer):
    return [pb.FileStatus.Name(file.status) for file in answer.files]


def new_directory(*clients):
    answer, kind = clients[0].ask(directory_create=pb.DirectoryCreate())
    assert kind == "ok_directory_created", (kind, answer)
    for client in clients:
        client.subscribe(answer.directory_id)
    return answer.directory_id


def in_step():
    """Upload, download, rename and delete, with the events of each."""
    one, two = Client(), Client()
    directory = new_directory(one, two)
    data = bytes(range(256)) * 10_000
    made = one.upload(directory, "report.bin", data)
    assert (made.version, made.content_changed_version, made.current_path) == (1, 1, "report.bin"), made
    told = two.event().files[0]
    assert (told.id, told.version) == (made.id, 1), told
    assert two.download(directory, made.id) == data
    answer, kind = one.increase(change(directory, "renamed.bin", made.id, content=False))
    assert kind == "version_increased" and answer.files[0].version == 2, (kind, answer)
    assert answer.files[0].content_changed_version == 1, answer
    assert two.event().files[0].current_path == "renamed.bin"
    again = two.upload(directory, "renamed.bin", b"shorter", made.id)
    assert (again.version, again.content_changed_version) == (3, 3), again
    assert one.event().files[0].version == 3
    assert one.download(directory, made.id) == b"shorter"
    empty = one.upload(directory, "empty", b"")
    two.event()
    assert two.download(directory, empty.id) == b""
    answer, kind = one.increase(change(directory, "renamed.bin", made.id, content=False, deleted=True))
    assert kind == "version_increased" and answer.files[0].deleted, (kind, answer)
    assert two.event().files[0].deleted
    assert set(two.versions(directory)) == {"empty"}
    one.hears_nothing()


def blocked_then_denied():
    """FLD-5, FLD-6: whoever waits is woken, and does not overwrite what it never saw."""
    one, two = Client(), Client()
    directory = new_directory(one, two)
    made = one.upload(directory, "a", b"first")
    two.event()
    assert two.download(directory, made.id) == b"first"
    assert one.increase(change(directory, "a", made.id))[1] == "version_increase_allow"
    mine = change(directory, "a", made.id)
    answer, kind = two.increase(mine)
    assert kind == "version_increase_deny" and statuses(answer) == ["BLOCKED"], (kind, answer)
    one.write(directory, "a", b"second", made.id)
    assert one.end()[1] == "version_increased"
    while two.event().files[0].version != 2:
        pass
    answer, kind = two.increase(mine)
    assert kind == "version_increase_deny" and statuses(answer) == ["DENIED"], (kind, answer)
    file_id = pb.RequestVersion.FileId(id=made.id, directory_id=directory)
    request = pb.RequestVersion(requests=[pb.RequestVersion.FileRequest(file_id=file_id)])
    answer, kind = two.ask(request_version=request)
    assert kind == "check_version" and answer.files[0].version == 2, (kind, answer)


def holder_gone():
    """FLD-6: a holder that goes away wakes whoever waits."""
    one, two = Client(), Client()
    directory = new_directory(one, two)
    made = one.upload(directory, "a", b"first")
    two.event()
    assert two.download(directory, made.id) == b"first"
    assert one.increase(change(directory, "a", made.id))[1] == "version_increase_allow"
    mine = change(directory, "a", made.id)
    assert statuses(two.increase(mine)[0]) == ["BLOCKED"]
    one.hang_up()
    assert two.event().files[0].id == made.id
    answer, kind = two.increase(mine)
    assert kind == "version_increase_allow", (kind, answer)
    two.write(directory, "a", b"second", made.id)
    assert two.end()[1] == "version_increased"


def holder_silent():
    """FLD-3, FLD-6: whoever holds a file and falls silent loses it by a timer, and whoever waits is woken by that alone."""
    one, two = Client(), Client()
    directory = new_directory(one, two)
    made = one.upload(directory, "a", b"first")
    two.event()
    assert two.download(directory, made.id) == b"first"
    assert one.increase(change(directory, "a", made.id))[1] == "version_increase_allow"
    mine, began = change(directory, "a", made.id), time.monotonic()
    assert statuses(two.increase(mine)[0]) == ["BLOCKED"]
    assert two.event().files[0].id == made.id
    assert 8 < time.monotonic() - began < 15, "ten seconds until the first piece"
    assert two.increase(mine)[1] == "version_increase_allow"
    two.write(directory, "a", b"second", made.id)
    assert two.end()[1] == "version_increased"
    one.write(directory, "a", b"too late", made.id)
    error = None
    while error is None:
        message = one.events.get(timeout=WAIT_S)
        error = message.error if message.WhichOneof("message") == "error" else None
    assert error.code == pb.Error.ErrorCode.Value("TIMEOUT"), error
    assert one.download(directory, made.id) == b"second"


def lost_update():
    """FLD-5: an edit made from an older version never overwrites a newer one, though its time is later and nobody writes."""
    one, two = Client(), Client()
    directory = new_directory(one, two)
    made = one.upload(directory, "a", b"first")
    two.event()
    assert two.download(directory, made.id) == b"first"
    one.upload(directory, "a", b"second", made.id)
    late = change(directory, "a", made.id, time_us=4 * 10**15)
    answer, kind = two.increase(late)
    assert kind == "version_increase_deny" and statuses(answer) == ["DENIED"], (kind, answer)
    assert one.download(directory, made.id) == b"second"
    told = two.event().files[0]
    assert told.version == 2 and two.download(directory, made.id) == b"second", told
    assert two.upload(directory, "a", b"third", made.id).version == 3


def same_path():
    """FLD-14: two make one path: one of them has it, the other is denied and takes what is there."""
    one, two = Client(), Client()
    directory = new_directory(one, two)
    assert one.increase(change(directory, "new"))[1] == "version_increase_allow"
    mine = change(directory, "new")
    answer, kind = two.increase(mine)
    assert kind == "version_increase_deny" and statuses(answer) == ["BLOCKED"], (kind, answer)
    one.write(directory, "new", b"of one")
    made, kind = one.end()
    assert kind == "version_increased", (kind, made)
    assert two.event().files[0].current_path == "new"
    answer, kind = two.increase(mine)
    assert kind == "version_increase_deny" and statuses(answer) == ["DENIED"], (kind, answer)
    assert two.versions(directory)["new"].id == made.files[0].id
    assert two.download(directory, made.files[0].id) == b"of one"


def refused():
    """What cannot be is an ERROR, and the connection goes on."""
    client = Client()
    directory = new_directory(client)
    code = pb.Error.ErrorCode.Value
    for path in ["../out", "/etc/passwd", "a/../../b", "a\\b", "C:/x", "nul\0", "", "x" * 300]:
        answer, kind = client.increase(change(directory, path))
        assert (kind, answer.code) == ("error", code("INVALID_REQUEST")), (path, kind, answer)
    answer, kind = client.ask(directory_subscribe=pb.DirectorySubscribe(directory_id=str(uuid.uuid4())))
    assert (kind, answer.code) == ("error", code("DIRECTORY_NOT_FOUND")), (kind, answer)
    client.write(directory, "nobody", b"asked")
    assert client.event("error").code == code("INVALID_REQUEST")
    for offset in [1, 2**63]:
        assert client.increase(change(directory, "gap"))[1] == "version_increase_allow"
        chunk = pb.FileChunk(directory_id=directory, current_path="gap", data=b"x", offset=offset)
        answer, kind = client.ask(file_write=pb.FileWrite(chunk=chunk))
        assert (kind, answer.code) == ("error", code("INVALID_REQUEST")), (kind, answer)
    assert client.versions(directory) == {}
    strange = Client(metadata=(("fastness-namespace", "nowhere"),))
    error = strange.events.get(timeout=WAIT_S)
    assert error.code() == grpc.StatusCode.NOT_FOUND, error


for scenario in [in_step, lost_update, blocked_then_denied, holder_gone, holder_silent, same_path, refused]:
    began = time.monotonic()
    scenario()
    print(f"{scenario.__name__}: {time.monotonic() - began:.2f} s", flush=True)
