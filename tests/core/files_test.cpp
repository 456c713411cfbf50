#include "core/files.hpp"

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/expect_error.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using lacuna::AtomicFile;

void write_all(const std::string& path, const std::string& content, bool overwrite) {
  AtomicFile file(path, overwrite);
  file.write(content);
  file.commit();
}

void expect_cannot_write(const std::function<void()>& action, const std::string& path,
                         const std::string& reason) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const lacuna::Error& error) {
    EXPECT_EQ(error.kind(), lacuna::ErrorKind::cannot_write);
    EXPECT_EQ(error.parts().place.file, path);
    EXPECT_THAT(error.what(), testing::HasSubstr(reason));
  }
}

// Lets no file of this process grow beyond some bytes: to the writer, a full disk.
class FullDisk {
public:
  explicit FullDisk(rlim_t n_bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{n_bytes, old_limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

private:
  rlimit old_limit_{};
  void (*old_handler_)(int);
};

TEST(AtomicFile, WritesAllBytesAndNothingElse) {
  const TemporaryFolder folder;
  std::string content(1'000'003, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7);
  AtomicFile file(folder.path("out"), false);
  file.write(std::string_view(content).substr(0, 10));
  file.write("");
  file.write(std::string_view(content).substr(10));
  file.commit();
  EXPECT_EQ(content_of(folder.path("out")), content);
  EXPECT_EQ(folder.n_entries(), 1);
}

TEST(AtomicFile, TheBeginningCanBeWrittenAgain) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a");
  AtomicFile file(path, false);
  file.write("0000");
  file.write(std::string(100'000, 'x'));
  file.rewrite_beginning("1234");
  file.write("end");
  file.commit();
  EXPECT_EQ(content_of(path), "1234" + std::string(100'000, 'x') + "end");
}

TEST(AtomicFile, ShowsNothingBeforeCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  write_content(path, "old");
  AtomicFile file(path, true);
  file.write("new");
  EXPECT_EQ(content_of(path), "old");
  file.commit();
  EXPECT_EQ(content_of(path), "new");
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
  const TemporaryFolder folder;
  write_content(folder.path("old"), "old");
  for (const char* name : {"old", "new"})
    EXPECT_THROW(
        {
          AtomicFile file(folder.path(name), true);
          file.write("half");
          throw std::runtime_error("the work failed");
        },
        std::runtime_error);
  EXPECT_EQ(folder.n_entries(), 1);
  EXPECT_EQ(content_of(folder.path("old")), "old");
}

TEST(AtomicFile, AFullDiskIsAnErrorAndLeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  write_content(path, "old");
  for (const std::size_t size : {100U, 1'000'000U}) { // noticed at commit; noticed at write
    const FullDisk disk(50);
    expect_cannot_write([&] { write_all(path, std::string(size, 'x'), true); }, path, "File too large");
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.n_entries(), 1);
}

TEST(AtomicFile, AFailedWriteIsNotCommittedEvenIfItsErrorIsIgnored) {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  AtomicFile file(path, false);
  {
    const FullDisk disk(50);
    expect_cannot_write([&] { file.write(std::string(1'000'000, 'x')); }, path, "File too large");
  }
  expect_cannot_write([&] { file.commit(); }, path, "earlier write");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(AtomicFile, DoesNotOverwriteUnasked) {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  write_content(path, "old");
  expect_cannot_write([&] { AtomicFile(path, false); }, path, "force");
  EXPECT_EQ(content_of(path), "old");
  write_all(path, "new", true);
  EXPECT_EQ(content_of(path), "new");
}

TEST(AtomicFile, DoesNotOverwriteAFileThatAppearedMeanwhile) {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  expect_cannot_write(
      [&] {
        AtomicFile file(path, false);
        file.write("ours");
        write_content(path, "theirs");
        file.commit();
      },
      path, "force");
  EXPECT_EQ(content_of(path), "theirs");
  EXPECT_EQ(folder.n_entries(), 1);
}

TEST(AtomicFile, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("sub"));
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  for (const bool overwrite : {false, true}) {
    expect_cannot_write([&] { AtomicFile(folder.path("sub"), overwrite); }, folder.path("sub"), "folder");
    expect_cannot_write([&] { AtomicFile("", overwrite); }, "", "empty");
  }
  expect_cannot_write([&] { AtomicFile(folder.path("pipe"), true); }, folder.path("pipe"), "pipe");
  expect_cannot_write([&] { AtomicFile("/dev/full", true); }, "/dev/full", "device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_EQ(folder.n_entries(), 2);
}

TEST(AtomicFile, RefusesFoldersItCannotWriteTo) {
  const TemporaryFolder folder;
  write_content(folder.path("file"), "x");
  // These hold for root, too.
  expect_cannot_write([&] { AtomicFile(folder.path("none/out"), false); }, folder.path("none/out"),
                      "folder does not exist");
  expect_cannot_write([&] { AtomicFile(folder.path("file/out"), false); }, folder.path("file/out"),
                      "Not a directory");
  expect_cannot_write([&] { AtomicFile("/proc/out", false); }, "/proc/out", "");
}

TEST(AtomicFile, FollowsALink) {
  const TemporaryFolder folder;
  write_content(folder.path("target"), "old");
  std::filesystem::create_symlink("target", folder.path("link"));
  expect_cannot_write([&] { AtomicFile(folder.path("link"), false); }, folder.path("target"), "force");
  write_all(folder.path("link"), "new", true);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(content_of(folder.path("target")), "new");
}

TEST(AtomicFile, KeepsThePermissionsOfTheFileItReplaces) {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  write_content(path, "old");
  std::filesystem::permissions(path,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  write_all(path, "new", true);
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

/// The number of a process that has ended.
std::string number_of_dead_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return std::to_string(child);
}

// In a container the process number of a killed run may well be ours again.
TEST(AtomicFile, RemovesWhatAKilledRunLeftBehind) {
  const TemporaryFolder folder;
  const std::string dead = number_of_dead_process();
  const std::string ours = std::to_string(getpid());
  for (const std::string& name :
       {"out.lacuna.part-" + dead + "-0", "other.lacuna.part-" + dead + "-3", "out.part-" + dead + "-0",
        "out.lacuna.part-" + ours + "-0", "out.lacuna.part-" + dead + "-0-old"})
    write_content(folder.path(name), "left behind");
  write_all(folder.path("out"), "new", false);
  EXPECT_EQ(content_of(folder.path("out")), "new");
  EXPECT_EQ(folder.n_entries(), 1);
}

TEST(AtomicFile, KeepsPartFilesOfTheLivingAndFilesOfOthers) {
  const TemporaryFolder folder;
  const std::string dead = number_of_dead_process();
  const std::string alive = std::to_string(getppid());
  const std::string held = folder.path("held.lacuna.part-" + dead + "-0"); // as if on another machine
  for (const std::string& name :
       {"out.lacuna.part-" + alive + "-0", "held.lacuna.part-" + dead + "-0", "film.part-" + dead + "-0",
        "film.lacuna.part-0" + dead + "-0", "film.lacuna.part-" + dead + "-", "film.lacuna.part-" + dead,
        std::string("film.lacuna.part-")})
    write_content(folder.path(name), "precious");
  std::filesystem::create_directory(folder.path("sub.lacuna.part-" + dead + "-0"));
  const int descriptor = open(held.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(descriptor, LOCK_EX | LOCK_NB), 0);
  AtomicFile beside(folder.path("beside"), false);
  write_all(folder.path("out"), "new", false);
  beside.commit();
  close(descriptor);
  EXPECT_EQ(folder.n_entries(), 10);
}

// In whatever order the folder lists them, some of the living come after the dead.
TEST(AtomicFile, TellsTheLivingFromTheDeadOneByOne) {
  const TemporaryFolder folder;
  const std::string dead = number_of_dead_process();
  const std::string alive = std::to_string(getppid());
  for (int i = 0; i < 20; ++i)
    for (const std::string& process : {dead, alive})
      write_content(folder.path("out.lacuna.part-" + process + "-" + std::to_string(i)), "x");
  write_all(folder.path("out"), "new", false);
  EXPECT_EQ(folder.n_entries(), 21);
}

// Names that only look like a killed run's, and one that another thread of ours may still need.
TEST(AtomicFile, KeepsWhatItDoesNotKnow) {
  const TemporaryFolder folder;
  const std::string dead = number_of_dead_process();
  write_content(folder.path("target"), "precious");
  for (const std::string& name :
       {std::string("out.lacuna.part-0-0"), std::string("out.lacuna.part-x-0"),
        std::string("out.lacuna.part-99999999999-0"), "out.lacuna.part-" + dead + "-x",
        "out.lacuna.part-" + std::to_string(getpid()) + "-5-old"})
    write_content(folder.path(name), "precious");
  std::filesystem::create_symlink("target", folder.path("out.lacuna.part-" + dead + "-1"));
  write_all(folder.path("out"), "new", false);
  EXPECT_EQ(folder.n_entries(), 8);
  EXPECT_EQ(content_of(folder.path("target")), "precious");
}

TEST(AtomicFile, TakesTheNextNameWhenOneIsTaken) {
  const TemporaryFolder folder;
  const auto part = [&](int i) {
    return folder.path("out.lacuna.part-" + std::to_string(getpid()) + "-" + std::to_string(i));
  };
  for (int i = 0; i < 100; ++i) std::filesystem::create_directory(part(i)); // a folder is no part file
  write_all(folder.path("out"), "new", false);
  EXPECT_EQ(content_of(folder.path("out")), "new");
  std::filesystem::create_directory(part(100));
  expect_cannot_write([&] { AtomicFile(folder.path("out"), true); }, folder.path("out"), "File exists");
  EXPECT_EQ(content_of(folder.path("out")), "new");
  EXPECT_EQ(folder.n_entries(), 102);
}

TEST(AtomicFile, ManyAtOnceAreAllWritten) {
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<AtomicFile>> files;
  std::vector<AtomicFile*> pointers;
  for (int i = 0; i < 40; ++i) { // more than a handler of a signal knows
    files.push_back(std::make_unique<AtomicFile>(folder.path(std::to_string(i)), false));
    files.back()->write(std::to_string(i));
    pointers.push_back(files.back().get());
  }
  lacuna::commit_together(pointers);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(content_of(folder.path(std::to_string(i))), std::to_string(i));
  EXPECT_EQ(folder.n_entries(), 40);
}

TEST(AtomicFile, ANameWithoutAFolderIsInTheCurrentOne) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path("."));
  const std::string left_behind = "out.lacuna.part-" + number_of_dead_process() + "-0";
  write_content(left_behind, "left behind");
  write_all("out", "new", false);
  std::filesystem::current_path(before);
  EXPECT_EQ(content_of(folder.path("out")), "new");
  EXPECT_EQ(folder.n_entries(), 1);
}

TEST(AtomicFile, AZeroByteInItsNameIsAnError) {
  const std::string name("a\0b", 3);
  expect_cannot_write([&] { AtomicFile(name, true); }, name, lacuna::zero_byte_words);
}

TEST(AtomicFile, AFullDiskWhenTheBeginningIsWrittenAgain) {
  const TemporaryFolder folder;
  for (const std::size_t size :
       {100U, 10U}) { // what was written before does not fit; the new beginning does not
    const std::string path = folder.path("out");
    AtomicFile file(path, false);
    file.write(std::string(size, 'x'));
    const FullDisk disk(50);
    expect_cannot_write([&] { file.rewrite_beginning(std::string(60, 'y')); }, path, "File too large");
  }
  EXPECT_EQ(folder.n_entries(), 0);
}

TEST(AtomicFile, AFolderThatTookTheNameMeanwhile) {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  for (const bool is_alone : {true, false}) {
    AtomicFile file(path, true);
    AtomicFile other(folder.path("other"), true);
    std::filesystem::create_directory(path);
    expect_cannot_write(
        [&] {
          if (is_alone)
            file.commit();
          else
            lacuna::commit_together({&other, &file});
        },
        path, "directory");
    std::filesystem::remove(path);
  }
  EXPECT_EQ(folder.n_entries(), 0);
}

TEST(AtomicFile, TakesTheLongestNameThatAFileCanHave) {
  const TemporaryFolder folder;
  const std::string letters(127, 'x');
  for (const std::string& name : {letters + letters + "y", letters + "\u00e4" + letters.substr(1)}) {
    ASSERT_EQ(name.size(), 255U);
    write_all(folder.path(name), "content", false);
    EXPECT_EQ(content_of(folder.path(name)), "content");
  }
  EXPECT_EQ(folder.n_entries(), 2);
  // A part file has the first 215 bytes of it, or less: a letter is not cut in two.
  const std::string stem(214, 'x');
  AtomicFile file(folder.path(stem + "\u00e4" + letters.substr(0, 30)), false);
  EXPECT_TRUE(std::filesystem::exists(folder.path(stem + ".lacuna.part-" + std::to_string(getpid()) + "-0")));
  const std::string longer = folder.path(letters + letters + "yz");
  expect_cannot_write([&] { AtomicFile(longer, false); }, longer, "too long");
}

TEST(AtomicFile, FollowsALinkThatLeadsToNothingYet) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("second", folder.path("first"));
  std::filesystem::create_symlink(folder.path("target"), folder.path("second"));
  expect_cannot_write([&] { AtomicFile(folder.path("first"), false); }, folder.path("target"), "force");
  write_all(folder.path("first"), "new", true);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("second")));
  EXPECT_EQ(content_of(folder.path("target")), "new");

  std::filesystem::create_symlink("none/out", folder.path("lost"));
  expect_cannot_write([&] { AtomicFile(folder.path("lost"), true); }, folder.path("none/out"), "folder");
  std::filesystem::create_symlink("round", folder.path("round"));
  expect_cannot_write([&] { AtomicFile(folder.path("round"), true); }, folder.path("round"), "circle");
}

TEST(AtomicFile, AHandlerOfASignalCanRemoveThePartFiles) {
  const TemporaryFolder folder;
  write_all(folder.path("whole"), "content", false);
  {
    AtomicFile first(folder.path("first"), false);
    AtomicFile second(folder.path("second"), false);
    EXPECT_EQ(folder.n_entries(), 3);
    lacuna::remove_part_files();
    EXPECT_EQ(folder.n_entries(), 1);
  }
  write_all(folder.path("later"), "content", false);
  lacuna::remove_part_files();
  EXPECT_EQ(folder.n_entries(), 2);
}

TEST(AtomicFile, EndsWithItsCommit) {
  const TemporaryFolder folder;
  AtomicFile file(folder.path("out"), false);
  file.commit();
  EXPECT_THROW(file.write("more"), lacuna::Error);
  EXPECT_THROW(file.commit(), lacuna::Error);
  EXPECT_EQ(content_of(folder.path("out")), "");
}

TEST(AtomicFile, NeverTakesAStandardDescriptor) {
  using Descriptors = std::vector<int>;
  for (const Descriptors& closed : {Descriptors{0}, Descriptors{0, 2}, Descriptors{0, 1, 2}}) {
    const TemporaryFolder folder;
    std::vector<int> kept;
    for (const int descriptor : closed) {
      kept.push_back(fcntl(descriptor, F_DUPFD_CLOEXEC, 10));
      close(descriptor);
    }
    bool is_taken = false;
    {
      AtomicFile file(folder.path("out"), false);
      for (const int descriptor : closed) is_taken = is_taken || fcntl(descriptor, F_GETFD) != -1;
      file.write("whole");
      file.commit();
    }
    for (std::size_t i = 0; i < closed.size(); ++i) {
      dup2(kept[i], closed[i]);
      close(kept[i]);
    }
    EXPECT_FALSE(is_taken) << "one is the file now";
    EXPECT_EQ(content_of(folder.path("out")), "whole");
  }
}

// Both write under the same name for a while, one after the other.
TEST(AtomicFile, OneThatIsCommittedLeavesTheNextAlone) {
  const TemporaryFolder folder;
  auto first = std::make_unique<AtomicFile>(folder.path("out"), true);
  first->write("first");
  first->commit();
  AtomicFile second(folder.path("out"), true);
  second.write("second");
  first.reset();
  second.commit();
  EXPECT_EQ(content_of(folder.path("out")), "second");
  EXPECT_EQ(folder.n_entries(), 1);
}

TEST(AtomicFile, OneThatIsCommittedMakesRoomForOthersThatAHandlerKnows) {
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<AtomicFile>> committed;
  for (int i = 0; i < 40; ++i) {
    committed.push_back(std::make_unique<AtomicFile>(folder.path(std::to_string(i)), false));
    committed.back()->commit();
  }
  AtomicFile last(folder.path("last"), false);
  EXPECT_EQ(folder.n_entries(), 41);
  lacuna::remove_part_files();
  EXPECT_EQ(folder.n_entries(), 40);
}

TEST(CommitTogether, WritesAllFilesAndNothingElse) {
  const TemporaryFolder folder;
  write_content(folder.path("b"), "old");
  AtomicFile a(folder.path("a"), true);
  AtomicFile b(folder.path("b"), true);
  a.write("new a");
  b.write("new b");
  lacuna::commit_together({&a, &b});
  EXPECT_EQ(content_of(folder.path("a")), "new a");
  EXPECT_EQ(content_of(folder.path("b")), "new b");
  EXPECT_EQ(folder.n_entries(), 2);
  lacuna::commit_together({});
}

TEST(CommitTogether, AFullDiskAtTheLastLeavesAllOldFiles) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) write_content(folder.path(name), "old");
  {
    AtomicFile a(folder.path("a"), true);
    AtomicFile b(folder.path("b"), true);
    a.write("short");
    b.write(std::string(100, 'x')); // waits in the stream
    const FullDisk disk(50);
    expect_cannot_write([&] { lacuna::commit_together({&a, &b}); }, folder.path("b"), "File too large");
  }
  for (const char* name : {"a", "b"}) EXPECT_EQ(content_of(folder.path(name)), "old");
  EXPECT_EQ(folder.n_entries(), 2);
}

TEST(CommitTogether, WhatIsInPlaceIsTakenBackWhenAnotherCannotBe) {
  const TemporaryFolder folder;
  write_content(folder.path("old"), "old");
  {
    AtomicFile replaced(folder.path("old"), true);
    AtomicFile fresh(folder.path("fresh"), true);
    AtomicFile taken(folder.path("taken"), false);
    write_content(folder.path("taken"), "theirs"); // meanwhile
    for (AtomicFile* file : {&replaced, &fresh, &taken}) file->write("ours");
    expect_cannot_write(
        [&] {
          lacuna::commit_together({&replaced, &fresh, &taken});
        },
        folder.path("taken"), "force");
  }
  EXPECT_EQ(content_of(folder.path("old")), "old");
  EXPECT_EQ(content_of(folder.path("taken")), "theirs");
  EXPECT_EQ(folder.n_entries(), 2);
}

// The error has no place: the statement names the folder.
void expect_no_folder(const std::string& path) {
  try {
    lacuna::make_folder(path);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const lacuna::Error& error) {
    EXPECT_EQ(error.kind(), lacuna::ErrorKind::cannot_write);
    EXPECT_THAT(error.what(), testing::HasSubstr("cannot make the folder"));
  }
}

TEST(MakeFolder, ACircleOfLinksIsAnErrorOfOurs) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("circle", folder.path("circle"));
  expect_no_folder(folder.path("circle"));
}

TEST(MakeFolder, MakesTheFoldersAboveAndLeavesWhatIsThere) {
  const TemporaryFolder folder;
  lacuna::make_folder(folder.path("a/b/c"));
  write_content(folder.path("a/b/c/file"), "x");
  lacuna::make_folder(folder.path("a/b/c"));
  EXPECT_EQ(content_of(folder.path("a/b/c/file")), "x");
  expect_no_folder(folder.path("a/b/c/file")); // a file is in the way
  expect_no_folder(folder.path("a/b/c/file/d"));
  expect_cannot_write([] { lacuna::make_folder(std::string("a\0b", 3)); }, std::string("a\0b", 3),
                      lacuna::zero_byte_words);
}

TEST(MakeFolder, ANameThatIsTooLongIsAnErrorOfOurs) {
  const TemporaryFolder folder;
  expect_no_folder(folder.path(std::string(300, 'n')));
}

} // namespace
